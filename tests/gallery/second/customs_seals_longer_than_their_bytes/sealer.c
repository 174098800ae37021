/* SPDX-License-Identifier: Apache-2.0 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

/* seal(container, date) -> bytes: the container's number, and the date that belongs behind it. */
static PyObject *seal(PyObject *module, PyObject *args)
{
    const char *container, *date;
    Py_ssize_t container_length, date_length;
    if (!PyArg_ParseTuple(args, "s#s#", &container, &container_length, &date, &date_length))
        return NULL;
    PyObject *result = PyBytes_FromStringAndSize(NULL, container_length);
    if (!result)
        return NULL;
    char *to = PyBytes_AS_STRING(result);
    memcpy(to, container, container_length);
    to[container_length] = 0;
    memcpy(to + container_length + 1, date, date_length);
    return result;
}

static PyObject *check_digit(PyObject *module, PyObject *args)
{
    const char *container;
    unsigned long sum = 0, weight = 1;
    if (!PyArg_ParseTuple(args, "s", &container))
        return NULL;
    for (; *container; container++, weight = weight * 2 % 11)
        sum += weight * (unsigned char)*container;
    return PyLong_FromUnsignedLong(sum % 11 % 10);
}

static PyMethodDef methods[] = {
    {"seal", seal, METH_VARARGS, "Make the text of a seal."},
    {"digit", check_digit, METH_VARARGS, "Compute a check digit."},
    {NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "sealer", NULL, -1, methods};

PyMODINIT_FUNC PyInit_sealer(void) { return PyModule_Create(&module); }
