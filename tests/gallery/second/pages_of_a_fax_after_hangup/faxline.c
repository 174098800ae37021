// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#undef NDEBUG
#include <assert.h>

enum state { LINE_IDLE, LINE_CONNECTED, LINE_CLOSED };
struct line {
    enum state state;
    char number[32];
    long sent;
};

static PyObject *dial(PyObject *self, PyObject *args)
{
    const char *number;
    if (!PyArg_ParseTuple(args, "s", &number))
        return NULL;
    struct line *line = calloc(1, sizeof *line);
    strncpy(line->number, number, sizeof line->number - 1);
    line->state = LINE_CONNECTED;
    return PyCapsule_New(line, "faxline.line", NULL);
}

static PyObject *hang_up(PyObject *self, PyObject *capsule)
{
    struct line *line = PyCapsule_GetPointer(capsule, "faxline.line");
    if (!line)
        return NULL;
    line->state = LINE_CLOSED;
    Py_RETURN_NONE;
}

static PyObject *send_page(PyObject *self, PyObject *args)
{
    PyObject *capsule;
    Py_buffer page;
    if (!PyArg_ParseTuple(args, "Oy*", &capsule, &page))
        return NULL;
    struct line *line = PyCapsule_GetPointer(capsule, "faxline.line");
    if (!line)
        return NULL;
    assert(line->state == LINE_CONNECTED);
    line->sent += page.len;
    PyBuffer_Release(&page);
    return PyLong_FromLong(1);
}

static PyMethodDef methods[] = {{"dial", dial, METH_VARARGS, ""},
                                {"hang_up", hang_up, METH_O, ""},
                                {"send_page", send_page, METH_VARARGS, ""},
                                {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "faxline", "", -1, methods};
PyMODINIT_FUNC PyInit_faxline(void) { return PyModule_Create(&module); }
