// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    PyObject_HEAD
    int page;
    Py_ssize_t size;
    unsigned char *pixels;
} Scan;

static int scan_init(Scan *self, PyObject *args, PyObject *kwargs)
{
    return PyArg_ParseTuple(args, "in", &self->page, &self->size) ? 0 : -1;
}

static int scan_getbuffer(Scan *self, Py_buffer *view, int flags)
{
    if (self->pixels == NULL) {
        self->pixels = malloc(self->size);
        if (self->pixels == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        memset(self->pixels, 40 + self->page, self->size);
    }
    return PyBuffer_FillInfo(view, (PyObject *)self, self->pixels, self->size, 0, flags);
}

static void scan_releasebuffer(Scan *self, Py_buffer *view)
{
    free(self->pixels);
    self->pixels = NULL;
}

static PyObject *scan_size(Scan *self, void *unused)
{
    return PyLong_FromSsize_t(self->size);
}

static PyBufferProcs scan_buffer = {(getbufferproc)scan_getbuffer,
                                    (releasebufferproc)scan_releasebuffer};
static PyGetSetDef scan_getset[] = {{"size", (getter)scan_size, NULL, "Bytes."}, {NULL}};

static PyTypeObject ScanType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "scans.Scan",
    .tp_basicsize = sizeof(Scan),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)scan_init,
    .tp_as_buffer = &scan_buffer,
    .tp_getset = scan_getset,
};

static PyModuleDef module = {PyModuleDef_HEAD_INIT, "scans", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_scans(void)
{
    PyObject *made = PyModule_Create(&module);
    if (made == NULL || PyType_Ready(&ScanType) < 0)
        return NULL;
    Py_INCREF(&ScanType);
    PyModule_AddObject(made, "Scan", (PyObject *)&ScanType);
    return made;
}
