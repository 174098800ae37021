// SPDX-License-Identifier: Apache-2.0
// Classifier of soils. The limits are read once, from the Python module soil_tables.
#include <Python.h>
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace {

class Limits {
 public:
  Limits() {
    PyObject *module = PyImport_ImportModule("soil_tables");
    PyObject *table = module ? PyObject_GetAttrString(module, "LIMITS") : nullptr;
    if (table) {
      PyObject *key, *value;
      Py_ssize_t place = 0;
      while (PyDict_Next(table, &place, &key, &value))
        steps_.emplace_back(PyFloat_AsDouble(value), PyUnicode_AsUTF8(key));
      std::sort(steps_.begin(), steps_.end());
    }
    Py_XDECREF(table);
    Py_XDECREF(module);
  }

  const char *kind(double clay) const {
    const char *found = "unknown";
    for (const auto &step : steps_)
      if (clay >= step.first) found = step.second.c_str();
    return found;
  }

 private:
  std::vector<std::pair<double, std::string>> steps_;
};

const Limits &limits() {
  static const Limits the_limits;
  return the_limits;
}

PyObject *classify(PyObject *, PyObject *args) {
  double clay, sand, lime;
  if (!PyArg_ParseTuple(args, "ddd", &clay, &sand, &lime)) return nullptr;
  const char *kind = limits().kind(clay / (clay + sand + lime));
  if (PyErr_Occurred()) return nullptr;
  return PyUnicode_FromString(kind);
}

PyMethodDef methods[] = {
    {"classify", classify, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyModuleDef definition = {PyModuleDef_HEAD_INIT, "soilclass", nullptr, -1, methods};

}  // namespace

PyMODINIT_FUNC PyInit_soilclass() { return PyModule_Create(&definition); }
