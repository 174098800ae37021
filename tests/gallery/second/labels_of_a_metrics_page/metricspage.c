/* SPDX-License-Identifier: Apache-2.0 */
/* Renders a page of metrics into a buffer and hands it to a sink. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdio.h>

#define PAGE_BYTES 2048

struct sink {
    char name[64];
    size_t (*write)(struct sink *, const char *, size_t);
    size_t written;
    size_t pages;
};

struct page {
    size_t used;
    char text[PAGE_BYTES];
    struct sink sink;
};

static struct page *page;

static size_t count_bytes(struct sink *sink, const char *text, size_t bytes) {
    sink->written += bytes;
    sink->pages++;
    return bytes;
}

static PyObject *begin(PyObject *module, PyObject *unused) {
    page->used = 0;
    Py_RETURN_NONE;
}

static PyObject *add(PyObject *module, PyObject *arguments) {
    const char *name, *labels;
    double value;
    if (!PyArg_ParseTuple(arguments, "ssd", &name, &labels, &value))
        return NULL;
    char *end = page->text + page->used;
    page->used += snprintf(end, PAGE_BYTES - page->used, "%s{%s} %g\n", name, labels, value);
    return PyLong_FromSize_t(page->used);
}

static PyObject *flush(PyObject *module, PyObject *unused) {
    size_t bytes = page->sink.write(&page->sink, page->text, page->used);
    return PyLong_FromSize_t(bytes);
}

static PyMethodDef methods[] = {{"begin", begin, METH_NOARGS, NULL},
                                {"add", add, METH_VARARGS, NULL},
                                {"flush", flush, METH_NOARGS, NULL},
                                {NULL}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "metricspage", NULL, -1, methods};

PyMODINIT_FUNC PyInit_metricspage(void) {
    if (!(page = calloc(1, sizeof *page)))
        return PyErr_NoMemory();
    strcpy(page->sink.name, "counting sink");
    page->sink.write = count_bytes;
    return PyModule_Create(&definition);
}
