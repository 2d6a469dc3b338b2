// request.c: the bytes of a request. They are built once a run; only the id's digits change afterwards.
#include "rig.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0000000" // stands where an id goes

static const char json_prefix[] = "json:";

// One long string, like the text of a file that an editor sends; an escape every 40 characters.
static void write_string(FILE *out, long size) {
    fputs("{\"seq\":" DIGITS ",\"text\":\"", out);
    for (int column = 1; ftell(out) < size - 4; column++) {
        if (column % 40 == 0)
            fputs("\\n", out);
        else
            fputc('a' + column * 7 % 26, out);
    }
    fputs("\"}", out);
}

// Objects with short strings, escapes, UTF-8, integers, reals, booleans and nulls.
static void write_mixed(FILE *out, long size) {
    // No trailing zeros: who prints numbers in their shortest form must not fall short of what came in.
    static const char *const fractions[] = {"5", "13", "255", "38", "505", "63", "755", "88"};
    const long item_size = 190;
    fputs("{\"seq\":" DIGITS ",\"items\":[", out);
    for (int i = 0; ftell(out) < size - item_size; i++)
        fprintf(out,
                "%s{\"name\":\"item %04d\",\"uri\":\"file:///src/dir%02d/f%d.swift\",\"line\":%d,\"score\":%d.%s,"
                "\"on\":%s,\"none\":null,\"text\":\"a \\\"quoted\\\" wörd\\tand more\",\"pos\":[%d,%d]}",
                i ? "," : "", i, i % 17, i, i * 37, i % 9, fractions[i % 8], i % 2 ? "true" : "false", i * 3, i % 80);
    fputs("]}", out);
}

// The params as text, NULL for none. Sets `echoed` where a server that echoes them can be checked.
static char *build_params(const char *payload, long size, bool *echoed) {
    if (!strcmp(payload, "none"))
        return NULL;
    if (!strncmp(payload, json_prefix, strlen(json_prefix)))
        return strdup(payload + strlen(json_prefix));
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (!strcmp(payload, "small"))
        fputs("{\"seq\":" DIGITS ",\"s\":\"abcd\"}", out);
    else if (!strcmp(payload, "str"))
        write_string(out, size);
    else if (!strcmp(payload, "mix"))
        write_mixed(out, size);
    else {
        complain(payload, "no such payload: small, mix, str, none or json:TEXT");
        exit(2);
    }
    fclose(out);
    *echoed = true;
    return text;
}

void request_build(struct request *request, const char *method, const char *payload, size_t size, bool headers) {
    *request = (struct request){0};
    char *params = build_params(payload, size, &request->echoed);
    request->params_length = params ? strlen(params) : 0;

    char *body;
    size_t length;
    FILE *out = open_memstream(&body, &length);
    fprintf(out, "{\"jsonrpc\":\"2.0\",\"id\":" DIGITS ",\"method\":\"%s\"", method);
    if (params)
        fprintf(out, ",\"params\":%s", params);
    fputc('}', out);
    fclose(out);

    char *frame;
    out = open_memstream(&frame, &request->length);
    if (headers)
        fprintf(out, "Content-Length: %zu\r\n\r\n%s", length, body);
    else
        fprintf(out, "%s\n", body);
    fclose(out);

    request->bytes = frame;
    request->id = strstr(frame, "\"id\":" DIGITS) + strlen("\"id\":");
    request->seq = strstr(request->id + ID_WIDTH, DIGITS);
    free(body);
    free(params);
}

static void put_digits(char *to, long number) {
    for (int i = ID_WIDTH - 1; i >= 0; i--) {
        to[i] = '0' + number % 10;
        number /= 10;
    }
}

void request_patch(const struct request *request, char *copy, long id) {
    put_digits(copy + (request->id - request->bytes), id);
    if (request->seq)
        put_digits(copy + (request->seq - request->bytes), id);
}
