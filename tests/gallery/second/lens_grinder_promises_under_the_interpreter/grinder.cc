#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <future>
#include <thread>
#include <vector>

// Each lens is ground on a thread of its own, which tells its progress to Python.

static PyObject *listener;

static double
grind_lens(double dioptre, int index)
{
    double height = 1.0;

    for (int pass = 0; pass < 200000; pass++)
        height = height * 0.999 + dioptre / (pass + 1);
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *answer = PyObject_CallFunction(listener, "id", index, height);
    Py_XDECREF(answer);
    PyErr_Clear();
    PyGILState_Release(state);
    return height;
}

static double
grind_batch(const std::vector<double> &dioptres)
{
    std::vector<std::future<double>> promised;
    double sum = 0;

    for (size_t i = 0; i < dioptres.size(); i++)
        promised.push_back(std::async(std::launch::async, grind_lens, dioptres[i], (int)i));
    for (auto &each : promised)
        sum += each.get();
    return sum;
}

static PyObject *
grinder_grind(PyObject *module, PyObject *args)
{
    PyObject *list;
    std::vector<double> dioptres;

    if (!PyArg_ParseTuple(args, "O!O", &PyList_Type, &list, &listener))
        return NULL;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); i++)
        dioptres.push_back(PyFloat_AsDouble(PyList_GET_ITEM(list, i)));
    if (PyErr_Occurred())
        return NULL;
    return PyFloat_FromDouble(grind_batch(dioptres));
}

static PyMethodDef methods[] = {
    {"grind", grinder_grind, METH_VARARGS, "Grind lenses side by side."}, {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "grinder", NULL, -1, methods};

PyMODINIT_FUNC
PyInit_grinder(void)
{
    return PyModule_Create(&module);
}
