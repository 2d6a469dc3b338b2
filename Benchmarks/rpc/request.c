// request.c: the bytes of a request. They are built once; only the digits of the id change afterwards.
#include "rig.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0000000"    // stands where an id goes
#define BACKWARDS "5555555" // stands where an id goes last digit first: read so, ids in a row differ at the front

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

// What plan.set takes. Each request changes what is used of every meter, and by so much that what is shown of it changes,
// too. No limit is written with seven zeros: those are an id's. The dates are so far off that no text changes for years.
static void write_plan(FILE *out, long meters) {
    static const char *const kinds[] = {
        "\"label\":\"Storage\",\"used\":8." BACKWARDS ",\"limit\":10,\"unit\":\"GB\"",
        "\"label\":\"Requests\",\"used\":4" BACKWARDS ",\"limit\":52000000,\"resets\":\"2099-11-02\"",
        "\"label\":\"Transfer\",\"used\":0." BACKWARDS ",\"limit\":1.5,\"unit\":\"TB\",\"format\":{\"maxFraction\":3}",
        "\"label\":\"Build time\",\"used\":17." BACKWARDS ",\"limit\":40,\"unit\":\"h\",\"format\":{\"minFraction\":2,"
            "\"maxFraction\":2}",
        "\"label\":\"Events\",\"used\":1" BACKWARDS ",\"limit\":25000000,\"warnAt\":0.6",
    };
    fputs("{\"plan\":{\"name\":\"Plus\",\"price\":{\"amount\":\"9.99\",\"currencyCode\":\"USD\"},\"period\":\"month\","
          "\"status\":{\"renews\":\"2099-11-02\"},\"meters\":[", out);
    for (long i = 0; i < meters; i++)
        fprintf(out, "%s{\"id\":\"meter-%04ld\",%s}", i ? "," : "", i, kinds[i % (sizeof kinds / sizeof *kinds)]);
    fputs("],\"upgrade\":{\"title\":\"Upgrade to Studio\",\"detail\":\"100 GB and more exports\"}}}", out);
}

// What follows the prefix in the text; NULL: it starts otherwise.
static const char *behind(const char *prefix, const char *text) {
    return strncmp(text, prefix, strlen(prefix)) ? NULL : text + strlen(prefix);
}

// The params as text, NULL for none. Sets `echoed` where a server that echoes them can be checked.
static char *build_params(const char *payload, long size, bool *echoed) {
    const char *json = behind("json:", payload), *meters = behind("meters:", payload);
    if (!strcmp(payload, "none"))
        return NULL;
    if (json)
        return strdup(json);
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    *echoed = !meters;
    if (meters)
        write_plan(out, read_count(meters, "meters"));
    else if (!strcmp(payload, "small"))
        fputs("{\"seq\":" DIGITS ",\"s\":\"abcd\"}", out);
    else if (!strcmp(payload, "str"))
        write_string(out, size);
    else if (!strcmp(payload, "mix"))
        write_mixed(out, size);
    else {
        complain(payload, "no such payload: small, mix, str, none, meters:COUNT or json:TEXT");
        exit(2);
    }
    fclose(out);
    return text;
}

// From the id on: a header may have such digits, too.
static void find_places(struct request *request, const char *digits, bool backwards) {
    const char *at = strstr(request->bytes, "\"id\":" DIGITS);
    for (; (at = strstr(at, digits)); at += ID_WIDTH) {
        request->places = realloc(request->places, (request->place_count + 1) * sizeof *request->places);
        request->places[request->place_count++] = (struct place){at - request->bytes, backwards};
    }
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
    find_places(request, DIGITS, false);
    find_places(request, BACKWARDS, true);
    free(body);
    free(params);
}

void request_patch(const struct request *request, char *copy, long id) {
    char forwards[ID_WIDTH], backwards[ID_WIDTH];
    for (int i = 0; i < ID_WIDTH; i++, id /= 10)
        backwards[i] = forwards[ID_WIDTH - 1 - i] = '0' + id % 10;
    for (const struct place *place = request->places; place < request->places + request->place_count; place++)
        memcpy(copy + place->at, place->backwards ? backwards : forwards, ID_WIDTH);
}
