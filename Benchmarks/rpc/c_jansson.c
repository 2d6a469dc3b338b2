// c_jansson: the reference server. It answers `echo`, `shell.ping` and `echo.ping` with their params, the way a careful C
// programmer would with libjansson: json_loadb for the message, the envelope's text by hand, json_dumpb of id
// and params straight into the output buffer.
//
//   c_jansson < messages
#define _GNU_SOURCE
#include "stdio_io.h"
#include <jansson.h>

static void put_json(struct buffer *out, const json_t *value) {
    for (;;) {
        size_t room = out->capacity - out->length;
        size_t length = json_dumpb(value, out->bytes + out->length, room, JSON_COMPACT | JSON_ENCODE_ANY);
        if (length <= room) {
            out->length += length;
            return;
        }
        buffer_room(out, length); // json_dumpb said how much it needs
    }
}

static void put_error(struct buffer *out, const json_t *id, int code, const char *message) {
    char text[128];
    BUFFER_PUT_LITERAL(out, "{\"jsonrpc\":\"2.0\",\"id\":");
    if (id)
        put_json(out, id);
    else
        BUFFER_PUT_LITERAL(out, "null");
    int length = snprintf(text, sizeof text, ",\"error\":{\"code\":%d,\"message\":\"%s\"}}", code, message);
    buffer_put(out, text, length);
}

static void handle(const char *text, size_t length, struct buffer *out) {
    json_t *message = json_loadb(text, length, JSON_DECODE_ANY, NULL);
    if (!message) {
        put_error(out, NULL, -32700, "Parse error");
        return;
    }
    const json_t *id = json_object_get(message, "id"), *params = json_object_get(message, "params");
    const char *version = json_string_value(json_object_get(message, "jsonrpc"));
    const char *method = json_string_value(json_object_get(message, "method"));
    if (!method || !version || strcmp(version, "2.0"))
        put_error(out, id, -32600, "Invalid Request");
    else if (strcmp(method, "echo") && strcmp(method, "shell.ping") && strcmp(method, "echo.ping"))
        put_error(out, id, -32601, "Method not found");
    else {
        BUFFER_PUT_LITERAL(out, "{\"jsonrpc\":\"2.0\",\"id\":");
        put_json(out, id);
        BUFFER_PUT_LITERAL(out, ",\"result\":");
        if (params)
            put_json(out, params);
        else
            BUFFER_PUT_LITERAL(out, "{}");
        BUFFER_PUT_LITERAL(out, "}");
    }
    json_decref(message);
}

int main(void) { return serve(handle); }
