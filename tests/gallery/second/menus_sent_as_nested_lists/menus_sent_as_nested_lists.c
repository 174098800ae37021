/* SPDX-License-Identifier: Apache-2.0 */
/* A parser of nested values: [ ... ] lists, numbers and "words". */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum kind { VALUE_NUMBER, VALUE_WORD, VALUE_LIST };

struct value {
    enum kind kind;
    double number;
    char word[32];
    struct value *first, *next;
};

struct parser {
    const char *at, *end;
    char error[64];
    long values;
};

static void skip_blanks(struct parser *parser)
{
    while (parser->at < parser->end && isspace((unsigned char)*parser->at))
        parser->at++;
}

static struct value *parse_value(struct parser *parser);

static struct value *parse_list(struct parser *parser)
{
    struct value head = {VALUE_LIST, 0, "", NULL, NULL}, **place = &head.first;

    for (parser->at++; ; ) {
        skip_blanks(parser);
        if (parser->at >= parser->end) {
            strcpy(parser->error, "list without an end");
            break;
        }
        if (*parser->at == ']') {
            parser->at++;
            break;
        }
        if (*parser->at == ',') {
            parser->at++;
            continue;
        }
        struct value *item = parse_value(parser);
        if (item == NULL)
            break;
        *place = item;
        place = &item->next;
    }
    struct value *list = malloc(sizeof *list);
    *list = head;
    return list;
}

static struct value *parse_value(struct parser *parser)
{
    parser->values++;
    if (*parser->at == '[')
        return parse_list(parser);
    struct value *value = calloc(1, sizeof *value);
    if (*parser->at == '"') {
        size_t length = 0;
        value->kind = VALUE_WORD;
        for (parser->at++; parser->at < parser->end && *parser->at != '"'; parser->at++)
            if (length < sizeof value->word - 1)
                value->word[length++] = *parser->at;
        parser->at++;
    } else {
        char *end;
        value->number = strtod(parser->at, &end);
        parser->at = end > parser->at ? end : parser->at + 1;
    }
    return value;
}

long menu_parse(const char *text, long size)
{
    struct parser parser = {text, text + size, "", 0};
    parse_value(&parser);
    return parser.values;
}
