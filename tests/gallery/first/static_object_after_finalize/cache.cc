// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
namespace {
class Cache {
  public:
    PyObject *entries = nullptr;
    ~Cache()
    {
        if (entries == nullptr)
            return;
        PyObject *flush = PyObject_GetAttrString(entries, "clear");
        PyObject *done = PyObject_CallObject(flush, nullptr);
        Py_XDECREF(done);
        Py_XDECREF(flush);
        Py_DECREF(entries);
    }
};
Cache cache;
PyObject *cache_store(PyObject *, PyObject *args)
{
    PyObject *key, *value;
    if (!PyArg_ParseTuple(args, "OO", &key, &value))
        return nullptr;
    if (cache.entries == nullptr)
        cache.entries = PyDict_New();
    if (PyDict_SetItem(cache.entries, key, value) < 0)
        return nullptr;
    Py_RETURN_NONE;
}
PyMethodDef methods[] = {{"store", cache_store, METH_VARARGS, ""}, {nullptr, nullptr, 0, nullptr}};
PyModuleDef module = {PyModuleDef_HEAD_INIT, "cache", "", -1, methods};
}
PyMODINIT_FUNC PyInit_cache(void) { return PyModule_Create(&module); }
