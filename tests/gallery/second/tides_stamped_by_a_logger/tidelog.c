// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <datetime.h>

/* Records: six bytes, minutes since midnight and centimetres. */
static PyObject *read_stamp(int year, int month, int day, unsigned minutes)
{
    return PyDateTime_FromDateAndTime(year, month, day, minutes / 60, minutes % 60, 0, 0);
}

static PyObject *unpack(PyObject *self, PyObject *args)
{
    Py_buffer data;
    int year, month, day;
    PyObject *records;
    if (!PyArg_ParseTuple(args, "y*iii", &data, &year, &month, &day))
        return NULL;
    records = PyList_New(0);
    for (Py_ssize_t at = 0; records && at + 4 <= data.len; at += 4) {
        const unsigned char *bytes = (const unsigned char *)data.buf + at;
        PyObject *stamp = read_stamp(year, month, day, bytes[0] << 8 | bytes[1]);
        PyObject *record = Py_BuildValue("(Ni)", stamp, bytes[2] << 8 | bytes[3]);
        if (!record || PyList_Append(records, record) < 0)
            Py_CLEAR(records);
        Py_XDECREF(record);
    }
    PyBuffer_Release(&data);
    return records;
}

static PyMethodDef methods[] = {
    {"unpack", unpack, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "tidelog", NULL, 0, methods};

PyMODINIT_FUNC PyInit_tidelog(void)
{
    return PyModuleDef_Init(&module);
}
