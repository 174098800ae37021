// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" void lattice_sort(long *order, size_t count, int (*stiffer)(long, long, void *),
                             void *model);

namespace {

const std::map<std::string, double> moduli = {
    {"S235", 210.0}, {"S355", 211.5}, {"S460", 212.0}, {"S690", 213.0}, {"AlMgSi", 70.0}};

struct Model {
    std::vector<std::string> materials;
    std::vector<double> sections;

    double stiffness_of(long beam) const
    {
        return moduli.at(materials[beam]) * sections[beam];
    }
};

int stiffer(long first, long second, void *data)
{
    const Model &model = *static_cast<const Model *>(data);
    double difference = model.stiffness_of(first) - model.stiffness_of(second);
    return difference > 0 ? 1 : difference < 0 ? -1 : 0;
}

PyObject *order_beams(PyObject *, PyObject *args)
{
    PyObject *materials, *sections;
    if (!PyArg_ParseTuple(args, "O!O!", &PyList_Type, &materials, &PyList_Type, &sections))
        return nullptr;
    Model model;
    std::vector<long> order;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(materials); i++) {
        model.materials.emplace_back(PyUnicode_AsUTF8(PyList_GET_ITEM(materials, i)));
        model.sections.push_back(PyFloat_AsDouble(PyList_GET_ITEM(sections, i)));
        order.push_back(i);
    }
    try {
        lattice_sort(order.data(), order.size(), stiffer, &model);
    } catch (const std::out_of_range &) {
        Py_RETURN_NONE;
    }
    PyObject *answer = PyList_New(0);
    for (long beam : order) {
        PyObject *number = PyLong_FromLong(beam);
        PyList_Append(answer, number);
        Py_DECREF(number);
    }
    return answer;
}

PyMethodDef functions[] = {
    {"order", order_beams, METH_VARARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
PyModuleDef module = {PyModuleDef_HEAD_INIT, "beams", nullptr, -1, functions};

}  // namespace

PyMODINIT_FUNC PyInit_beams()
{
    return PyModule_Create(&module);
}
