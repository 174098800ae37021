// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

static int distance(const char *a, size_t m, const char *b, size_t n)
{
    int row[256];
    for (size_t j = 0; j <= n; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= m; i++) {
        int corner = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= n; j++) {
            int up = row[j], best = corner + (a[i - 1] != b[j - 1]);
            if (up + 1 < best) best = up + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            row[j] = best;
            corner = up;
        }
    }
    return row[n];
}

/* nearest(catalogue, query): the offset of the line of the catalogue that is most like the query */
static PyObject *similar_nearest(PyObject *self, PyObject *args)
{
    const char *text, *query;
    Py_ssize_t size, length;
    long best = 1000, where = -1, seen = 0;
    if (!PyArg_ParseTuple(args, "y#y#", &text, &size, &query, &length))
        return NULL;
    int stopped = 0;
    Py_BEGIN_ALLOW_THREADS
    for (const char *line = text; line < text + size && !stopped;) {
        const char *end = memchr(line, '\n', text + size - line);
        if (end == NULL) end = text + size;
        size_t width = end - line < 255 ? end - line : 255;
        long far = distance(query, length, line, width);
        if (far < best) { best = far; where = line - text; }
        if (++seen % 4096 == 0 && PyErr_CheckSignals())
            stopped = 1;
        line = end + 1;
    }
    Py_END_ALLOW_THREADS
    return stopped ? NULL : PyLong_FromLong(where);
}

static PyMethodDef methods[] = {{"nearest", similar_nearest, METH_VARARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "similar", NULL, -1, methods};
PyMODINIT_FUNC PyInit_similar(void) { return PyModule_Create(&module); }
