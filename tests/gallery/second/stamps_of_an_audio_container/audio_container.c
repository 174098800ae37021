// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

#define NO_STAMP 0xFFFFFFFFu

static PyObject *
stamp_of(const char *header)
{
    uint32_t stamp;

    memcpy(&stamp, header, sizeof stamp);
    return stamp == NO_STAMP ? Py_None : PyLong_FromUnsignedLong(stamp);
}

static PyObject *
frame_at(PyObject *module, PyObject *args)
{
    const char *data;
    Py_ssize_t length, at;
    uint16_t size;

    if (!PyArg_ParseTuple(args, "y#n", &data, &length, &at))
        return NULL;
    if (at < 0 || at + 6 > length) {
        PyErr_SetString(PyExc_IndexError, "no frame there");
        return NULL;
    }
    memcpy(&size, data + at + 4, sizeof size);
    return Py_BuildValue("NH", stamp_of(data + at), size);
}

static PyMethodDef methods[] = {
    {"frame_at", frame_at, METH_VARARGS, "The stamp and the size of a frame."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "audio_container", NULL, -1, methods,
};

PyMODINIT_FUNC
PyInit_audio_container(void)
{
    return PyModule_Create(&definition);
}
