// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>

typedef struct {
    PyObject_HEAD
    PyObject *name;
    PyObject *weakrefs;
    double *samples;
    Py_ssize_t count;
} Instrument;

static PyTypeObject InstrumentType;

static PyObject *instrument_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *name, *samples;
    if (!PyArg_ParseTuple(args, "UO!", &name, &PyList_Type, &samples))
        return NULL;
    Instrument *self = (Instrument *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->count = PyList_GET_SIZE(samples);
    self->samples = PyMem_Calloc(self->count ? self->count : 1, sizeof(double));
    for (Py_ssize_t i = 0; i < self->count; i++)
        self->samples[i] = PyFloat_AsDouble(PyList_GET_ITEM(samples, i));
    Py_INCREF(name);
    self->name = name;
    return (PyObject *)self;
}

static void instrument_dealloc(Instrument *self)
{
    if (self->weakrefs != NULL)
        PyObject_ClearWeakRefs((PyObject *)self);
    Py_CLEAR(self->name);
    PyMem_Free(self->samples);
    self->samples = NULL;
    Py_TYPE(self)->tp_free((PyObject *)self);
}

static PyTypeObject InstrumentType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "hut.Instrument",
    .tp_basicsize = sizeof(Instrument),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = instrument_new,
    .tp_dealloc = (destructor)instrument_dealloc,
    .tp_weaklistoffset = offsetof(Instrument, weakrefs),
};

static double mean_of(const Instrument *instrument)
{
    double sum = 0.0;
    for (Py_ssize_t i = 0; i < instrument->count; i++)
        sum += instrument->samples[i];
    return instrument->count ? sum / instrument->count : 0.0;
}

static double __attribute__((noinline)) drift_of(const Instrument *instrument, double mean)
{
    double drift = 0.0;
    for (Py_ssize_t i = 0; i < instrument->count; i++)
        drift += instrument->samples[i] - mean;
    return drift;
}

static PyObject *poll(PyObject *module, PyObject *args)
{
    PyObject *watched, *note;
    if (!PyArg_ParseTuple(args, "O!O", &PyList_Type, &watched, &note))
        return NULL;
    double drift = 0.0;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(watched); i++) {
        PyObject *target = PyWeakref_GetObject(PyList_GET_ITEM(watched, i));
        if (target == NULL)
            return NULL;
        if (target == Py_None)
            continue;
        Instrument *instrument = (Instrument *)target;
        double mean = mean_of(instrument);
        PyObject *noted = PyObject_CallFunction(note, "Od", instrument->name, mean);
        if (noted == NULL)
            return NULL;
        Py_DECREF(noted);
        drift += drift_of(instrument, mean);
    }
    return PyFloat_FromDouble(drift);
}

static PyMethodDef functions[] = {{"poll", poll, METH_VARARGS, NULL}, {NULL}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "hut", NULL, -1, functions};

PyMODINIT_FUNC PyInit_hut(void)
{
    if (PyType_Ready(&InstrumentType) < 0)
        return NULL;
    PyObject *m = PyModule_Create(&module);
    Py_INCREF(&InstrumentType);
    PyModule_AddObject(m, "Instrument", (PyObject *)&InstrumentType);
    return m;
}
