// SPDX-License-Identifier: Apache-2.0
// Rules for alarms: and, or, not and comparisons, parsed by recursive descent.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <ctype.h>
#include <string.h>

struct parser {
    const char *at;
    double level;
    int failed;
};

static int parse_or(struct parser *parser);

static void
skip(struct parser *parser)
{
    while (isspace((unsigned char)*parser->at))
        parser->at++;
}

static int
parse_comparison(struct parser *parser)
{
    char word[96];
    size_t length = 0;
    skip(parser);
    while (isalpha((unsigned char)*parser->at) && length < sizeof word - 1)
        word[length++] = *parser->at++;
    word[length] = 0;
    skip(parser);
    char sign = *parser->at;
    if (strcmp(word, "level") || (sign != '<' && sign != '>')) {
        parser->failed = 1;
        return 0;
    }
    char *end;
    double limit = strtod(parser->at + 1, &end);
    parser->at = end;
    return sign == '<' ? parser->level < limit : parser->level > limit;
}

static int
parse_factor(struct parser *parser)
{
    skip(parser);
    if (*parser->at == '!') {
        parser->at++;
        return !parse_factor(parser);
    }
    if (*parser->at == '(') {
        parser->at++;
        int value = parse_or(parser);
        skip(parser);
        if (*parser->at == ')')
            parser->at++;
        else
            parser->failed = 1;
        return value;
    }
    return parse_comparison(parser);
}

static int
parse_and(struct parser *parser)
{
    int value = parse_factor(parser);
    for (skip(parser); *parser->at == '&' && !parser->failed; skip(parser)) {
        parser->at++;
        value &= parse_factor(parser);
    }
    return value;
}

static int
parse_or(struct parser *parser)
{
    int value = parse_and(parser);
    for (skip(parser); *parser->at == '|' && !parser->failed; skip(parser)) {
        parser->at++;
        value |= parse_and(parser);
    }
    return value;
}

static PyObject *
evaluate(PyObject *module, PyObject *args)
{
    const char *text;
    struct parser parser = {0};
    if (!PyArg_ParseTuple(args, "sd:evaluate", &text, &parser.level))
        return NULL;
    parser.at = text;
    int value = parse_or(&parser);
    if (parser.failed || *parser.at) {
        PyErr_Format(PyExc_ValueError, "bad rule at %zd", (Py_ssize_t)(parser.at - text));
        return NULL;
    }
    return PyBool_FromLong(value);
}

static PyMethodDef methods[] = {
    {"evaluate", evaluate, METH_VARARGS, "Evaluate a rule for a level."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "rules", NULL, -1, methods};

PyMODINIT_FUNC
PyInit_rules(void)
{
    return PyModule_Create(&definition);
}
