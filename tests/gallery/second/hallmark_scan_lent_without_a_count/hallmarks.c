/* Hallmarks of silver: scans are large, so each is loaded once and handed out from a cache. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static PyObject *scans; /* maker's mark -> bytes */

static PyObject *load(PyObject *mark)
{
    Py_ssize_t side = 6000, length = side * side;
    PyObject *scan = PyBytes_FromStringAndSize(NULL, length);
    if (!scan)
        return NULL;
    Py_hash_t seed = PyObject_Hash(mark);
    unsigned char *pixel = (unsigned char *)PyBytes_AS_STRING(scan);
    for (Py_ssize_t i = 0; i < length; i++)
        pixel[i] = (unsigned char)((i * 31 + seed) >> 3);
    return scan;
}

static PyObject *hallmarks_scan(PyObject *self, PyObject *mark)
{
    PyObject *scan = PyDict_GetItemWithError(scans, mark);
    if (scan)
        return scan;
    if (PyErr_Occurred() || !(scan = load(mark)))
        return NULL;
    if (PyDict_SetItem(scans, mark, scan) < 0) {
        Py_DECREF(scan);
        return NULL;
    }
    return scan;
}

static PyObject *hallmarks_known(PyObject *self, PyObject *unused)
{
    return PyDict_Keys(scans);
}

static PyMethodDef methods[] = {
    {"scan", hallmarks_scan, METH_O, "Return the scan of a maker's mark."},
    {"known", hallmarks_known, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "hallmarks", NULL, -1, methods};

PyMODINIT_FUNC PyInit_hallmarks(void)
{
    if (!(scans = PyDict_New()))
        return NULL;
    return PyModule_Create(&module);
}
