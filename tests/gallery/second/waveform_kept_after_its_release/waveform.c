// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

typedef struct {
    PyObject_HEAD
    const int16_t *samples;
    Py_ssize_t number;
} Waveform;

static int waveform_init(Waveform *self, PyObject *args, PyObject *keywords)
{
    Py_buffer view;
    if (!PyArg_ParseTuple(args, "y*", &view))
        return -1;
    self->samples = view.buf;
    self->number = view.len / (Py_ssize_t)sizeof *self->samples;
    PyBuffer_Release(&view);
    return 0;
}

static PyObject *waveform_peak(Waveform *self, PyObject *unused)
{
    int peak = 0;
    for (Py_ssize_t n = 0; n < self->number; n++) {
        int level = self->samples[n] < 0 ? -self->samples[n] : self->samples[n];
        if (level > peak)
            peak = level;
    }
    return PyLong_FromLong(peak);
}

static PyObject *waveform_silence(Waveform *self, PyObject *argument)
{
    long limit = PyLong_AsLong(argument);
    Py_ssize_t silent = 0;
    if (limit == -1 && PyErr_Occurred())
        return NULL;
    for (Py_ssize_t n = 0; n < self->number; n++)
        silent += self->samples[n] < limit && self->samples[n] > -limit;
    return PyLong_FromSsize_t(silent);
}

static PyMethodDef waveform_methods[] = {
    {"peak", (PyCFunction)waveform_peak, METH_NOARGS, NULL},
    {"silence", (PyCFunction)waveform_silence, METH_O, NULL},
    {NULL},
};
static PyTypeObject WaveformType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "waveform.Waveform",
    .tp_basicsize = sizeof(Waveform),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = (initproc)waveform_init,
    .tp_methods = waveform_methods,
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "waveform", NULL, -1, NULL};
PyMODINIT_FUNC PyInit_waveform(void)
{
    if (PyType_Ready(&WaveformType) < 0)
        return NULL;
    PyObject *made = PyModule_Create(&module);
    Py_INCREF(&WaveformType);
    PyModule_AddObject(made, "Waveform", (PyObject *)&WaveformType);
    return made;
}
