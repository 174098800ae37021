// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <string>
namespace {
struct Rate {
    double value;
    explicit Rate(const std::string &text) noexcept : value(std::stod(text)) {}
};
PyObject *rates_parse(PyObject *, PyObject *text)
{
    const char *bytes = PyUnicode_AsUTF8(text);
    if (bytes == nullptr)
        return nullptr;
    try {
        return PyFloat_FromDouble(Rate(bytes).value);
    } catch (const std::exception &error) {
        PyErr_SetString(PyExc_ValueError, error.what());
        return nullptr;
    }
}
PyMethodDef methods[] = {{"parse", rates_parse, METH_O, ""}, {nullptr, nullptr, 0, nullptr}};
PyModuleDef module = {PyModuleDef_HEAD_INIT, "rates", "", -1, methods};
}
PyMODINIT_FUNC PyInit_rates(void) { return PyModule_Create(&module); }
