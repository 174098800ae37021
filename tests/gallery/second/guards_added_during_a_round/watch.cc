// SPDX-License-Identifier: Apache-2.0
#include <Python.h>

#include <string>
#include <vector>

namespace {

struct Subscriber {
    PyObject *callback;
    long told;
    std::string note;
};

struct CentreObject {
    PyObject_HEAD
    std::vector<Subscriber> *subscribers;
};

PyObject *centre_new(PyTypeObject *type, PyObject *, PyObject *)
{
    auto *self = reinterpret_cast<CentreObject *>(type->tp_alloc(type, 0));
    if (self != nullptr) {
        self->subscribers = new std::vector<Subscriber>();
    }
    return reinterpret_cast<PyObject *>(self);
}

std::vector<Subscriber> &subscribers_of(PyObject *self)
{
    return *reinterpret_cast<CentreObject *>(self)->subscribers;
}

PyObject *subscribe(PyObject *self, PyObject *callback)
{
    Py_INCREF(callback);
    subscribers_of(self).push_back({callback, 0, "subscribed at the front desk"});
    Py_RETURN_NONE;
}

PyObject *publish(PyObject *self, PyObject *args)
{
    int sensor, value;
    if (!PyArg_ParseTuple(args, "ii", &sensor, &value)) {
        return nullptr;
    }
    for (Subscriber &each : subscribers_of(self)) {
        PyObject *done = PyObject_CallFunction(each.callback, "ii", sensor, value);
        if (done == nullptr) {
            return nullptr;
        }
        Py_DECREF(done);
        each.told++;
        each.note = "told of sensor " + std::to_string(sensor) + " at " + std::to_string(value);
    }
    Py_RETURN_NONE;
}

PyObject *size(PyObject *self, PyObject *)
{
    return PyLong_FromSize_t(subscribers_of(self).size());
}

PyMethodDef centre_methods[] = {
    {"subscribe", subscribe, METH_O, nullptr},
    {"publish", publish, METH_VARARGS, nullptr},
    {"size", size, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyTypeObject CentreType = {PyVarObject_HEAD_INIT(nullptr, 0)};
PyModuleDef module = {PyModuleDef_HEAD_INIT, "watch", nullptr, -1, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit_watch()
{
    CentreType.tp_name = "watch.Centre";
    CentreType.tp_basicsize = sizeof(CentreObject);
    CentreType.tp_flags = Py_TPFLAGS_DEFAULT;
    CentreType.tp_new = centre_new;
    CentreType.tp_methods = centre_methods;
    PyObject *m;
    if (PyType_Ready(&CentreType) < 0 || (m = PyModule_Create(&module)) == nullptr) {
        return nullptr;
    }
    Py_INCREF(&CentreType);
    PyModule_AddObject(m, "Centre", reinterpret_cast<PyObject *>(&CentreType));
    return m;
}
