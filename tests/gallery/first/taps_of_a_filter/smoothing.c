// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
struct smoother { int taps; double *state; };
static void smoother_free(PyObject *capsule)
{
    struct smoother *smoother = PyCapsule_GetPointer(capsule, "smoother");
    PyMem_Free(smoother->state);
    PyMem_RawFree(smoother);
}
static PyObject *smoothing_smoother(PyObject *self, PyObject *taps)
{
    struct smoother *made = PyMem_RawMalloc(sizeof *made);
    made->taps = PyLong_AsLong(taps);
    made->state = PyMem_Calloc(made->taps, sizeof(double));
    return PyCapsule_New(made, "smoother", smoother_free);
}
static PyObject *smoothing_feed(PyObject *self, PyObject *args)
{
    PyObject *capsule, *readings;
    double sum = 0;
    if (!PyArg_ParseTuple(args, "OO!", &capsule, &PyList_Type, &readings))
        return NULL;
    struct smoother *smoother = PyCapsule_GetPointer(capsule, "smoother");
    if (!smoother)
        return NULL;
    for (Py_ssize_t n = 0; n < PyList_GET_SIZE(readings); n++) {
        for (int tap = smoother->taps; tap > 0; tap--)
            smoother->state[tap] = smoother->state[tap - 1];
        smoother->state[0] = PyFloat_AsDouble(PyList_GET_ITEM(readings, n));
    }
    for (int tap = 0; tap < smoother->taps; tap++)
        sum += smoother->state[tap];
    return PyFloat_FromDouble(sum / smoother->taps);
}
static PyMethodDef methods[] = {{"smoother", smoothing_smoother, METH_O, ""},
                                {"feed", smoothing_feed, METH_VARARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "smoothing", "", -1, methods};
PyMODINIT_FUNC PyInit_smoothing(void) { return PyModule_Create(&module); }
