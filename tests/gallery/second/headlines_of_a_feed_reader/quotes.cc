// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <new>
#include <regex>
#include <string>

namespace {

struct Finder {
    PyObject_HEAD
    std::regex *pattern;
};

int finder_init(PyObject *self, PyObject *args, PyObject *)
{
    const char *pattern;
    if (!PyArg_ParseTuple(args, "s", &pattern))
        return -1;
    try {
        reinterpret_cast<Finder *>(self)->pattern = new std::regex(pattern);
    } catch (const std::regex_error &error) {
        PyErr_SetString(PyExc_ValueError, error.what());
        return -1;
    }
    return 0;
}

void finder_dealloc(PyObject *self)
{
    delete reinterpret_cast<Finder *>(self)->pattern;
    Py_TYPE(self)->tp_free(self);
}

PyObject *quoted(PyObject *self, PyObject *article)
{
    Py_ssize_t length;
    const char *text = PyUnicode_AsUTF8AndSize(article, &length);
    if (text == nullptr)
        return nullptr;
    std::cmatch match;
    bool matched;
    Py_BEGIN_ALLOW_THREADS
    matched = std::regex_match(text, text + length, match,
                               *reinterpret_cast<Finder *>(self)->pattern);
    Py_END_ALLOW_THREADS
    return PyLong_FromSsize_t(matched ? match.length(1) : 0);
}

PyMethodDef finder_methods[] = {{"quoted", quoted, METH_O, nullptr}, {}};
PyTypeObject finder_type = {PyVarObject_HEAD_INIT(nullptr, 0)};
PyModuleDef module = {PyModuleDef_HEAD_INIT, "quotes", nullptr, -1, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit_quotes()
{
    finder_type.tp_name = "quotes.Finder";
    finder_type.tp_basicsize = sizeof(Finder);
    finder_type.tp_flags = Py_TPFLAGS_DEFAULT;
    finder_type.tp_new = PyType_GenericNew;
    finder_type.tp_init = finder_init;
    finder_type.tp_dealloc = finder_dealloc;
    finder_type.tp_methods = finder_methods;
    if (PyType_Ready(&finder_type) < 0)
        return nullptr;
    PyObject *m = PyModule_Create(&module);
    Py_INCREF(&finder_type);
    PyModule_AddObject(m, "Finder", reinterpret_cast<PyObject *>(&finder_type));
    return m;
}
