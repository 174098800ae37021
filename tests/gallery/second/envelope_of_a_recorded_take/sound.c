/* SPDX-License-Identifier: Apache-2.0 */
#include <Python.h>
#include <stdlib.h>

typedef struct {
    PyObject_HEAD
    float *samples;
    Py_ssize_t count;
} Take;

static PyObject *take_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    Py_ssize_t count;
    if (!PyArg_ParseTuple(args, "n", &count))
        return NULL;
    Take *self = (Take *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->samples = calloc(count, sizeof(float));
    self->count = count;
    if (self->samples == NULL) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void take_dealloc(Take *self)
{
    free(self->samples);
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static int take_getbuffer(Take *self, Py_buffer *view, int flags)
{
    Py_ssize_t size = self->count * (Py_ssize_t)sizeof(float);
    return PyBuffer_FillInfo(view, NULL, self->samples, size, 1, flags);
}

static PyBufferProcs take_buffer = {(getbufferproc)take_getbuffer, NULL};

static PyTypeObject Take_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "sound.Take",
    .tp_basicsize = sizeof(Take),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_dealloc = (destructor)take_dealloc,
    .tp_as_buffer = &take_buffer,
    .tp_new = take_new,
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "sound", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_sound(void)
{
    PyObject *made = PyModule_Create(&module);
    if (made == NULL || PyType_Ready(&Take_Type) < 0)
        return NULL;
    Py_INCREF(&Take_Type);
    PyModule_AddObject(made, "Take", (PyObject *)&Take_Type);
    return made;
}
