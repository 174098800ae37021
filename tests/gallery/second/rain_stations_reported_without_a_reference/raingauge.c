/* SPDX-License-Identifier: Apache-2.0 */
#include <Python.h>

#define STATIONS 64

static struct {
    double total;
    long reports;
} stations[STATIONS];

/* report(station, millimetres): add to a station's total. */
static PyObject *report(PyObject *module, PyObject *args)
{
    int station;
    double millimetres;
    if (!PyArg_ParseTuple(args, "id", &station, &millimetres))
        return NULL;
    if (station < 0 || station >= STATIONS)
        return PyErr_Format(PyExc_IndexError, "no station %d", station);
    stations[station].total += millimetres;
    stations[station].reports++;
    return Py_None;
}

static PyObject *total(PyObject *module, PyObject *args)
{
    int station;
    if (!PyArg_ParseTuple(args, "i", &station))
        return NULL;
    if (station < 0 || station >= STATIONS || !stations[station].reports)
        Py_RETURN_NONE;
    return PyFloat_FromDouble(stations[station].total);
}

static PyMethodDef methods[] = {
    {"report", report, METH_VARARGS, "Add rain to a station."},
    {"total", total, METH_VARARGS, "Return a station's rain, or None."},
    {NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "raingauge", NULL, -1, methods};

PyMODINIT_FUNC PyInit_raingauge(void) { return PyModule_Create(&module); }
