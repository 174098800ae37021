/* Depths of scanned charts. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static PyObject *mean(PyObject *self, PyObject *chart)
{
    char *grey;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(chart, &grey, &size) < 0)
        return NULL;
    unsigned long long sum = 0;
    for (Py_ssize_t i = 0; i < size; i += 64)
        sum += (unsigned char)grey[i];
    return PyFloat_FromDouble(size ? (double)sum / (size / 64) : 0.0);
}

static PyObject *deepest(PyObject *self, PyObject *chart)
{
    char *grey;
    Py_ssize_t size;
    PyObject *result = NULL;
    int lowest = 255;
    if (PyBytes_AsStringAndSize(chart, &grey, &size) < 0)
        goto done;
    for (Py_ssize_t i = 0; i < size; i += 64)
        if ((unsigned char)grey[i] < lowest)
            lowest = (unsigned char)grey[i];
    result = PyFloat_FromDouble((255 - lowest) * 0.5);
done:
    Py_DECREF(chart);
    return result;
}

static PyMethodDef methods[] = {
    {"mean", mean, METH_O, "The mean grey value of a chart."},
    {"deepest", deepest, METH_O, "The deepest sounding of a chart."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "soundings", NULL, -1, methods};

PyMODINIT_FUNC PyInit_soundings(void)
{
    return PyModule_Create(&module);
}
