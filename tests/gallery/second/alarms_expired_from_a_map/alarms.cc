// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <map>
#include <string>
namespace {
struct Alarm {
    long minute;
    std::string text;
};
std::map<std::string, Alarm> active;
PyObject *alarms_put(PyObject *, PyObject *args)
{
    const char *sensor;
    long minute;
    if (!PyArg_ParseTuple(args, "sl", &sensor, &minute))
        return nullptr;
    active[sensor] = {minute, "smoke or heat above the threshold of this zone"};
    Py_RETURN_NONE;
}
PyObject *alarms_expire(PyObject *, PyObject *limit)
{
    long before = PyLong_AsLong(limit);
    for (auto &entry : active)
        if (entry.second.minute < before)
            active.erase(entry.first);
    Py_RETURN_NONE;
}
PyObject *alarms_count(PyObject *, PyObject *) { return PyLong_FromSize_t(active.size()); }
PyMethodDef methods[] = {{"put", alarms_put, METH_VARARGS, ""}, {"expire", alarms_expire, METH_O, ""},
                         {"count", alarms_count, METH_NOARGS, ""}, {nullptr, nullptr, 0, nullptr}};
PyModuleDef module = {PyModuleDef_HEAD_INIT, "alarms", "", -1, methods};
}
PyMODINIT_FUNC PyInit_alarms(void) { return PyModule_Create(&module); }
