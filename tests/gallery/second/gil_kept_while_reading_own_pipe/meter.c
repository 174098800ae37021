// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <unistd.h>
static PyObject *meter_read_frame(PyObject *self, PyObject *number)
{
    char frame[16];
    int fd = (int)PyLong_AsLong(number), have = 0;
    while (have < (int)sizeof frame) {
        ssize_t got = read(fd, frame + have, sizeof frame - have);
        if (got <= 0)
            return PyErr_SetFromErrno(PyExc_OSError);
        have += (int)got;
    }
    return PyBytes_FromStringAndSize(frame, sizeof frame);
}
static PyMethodDef methods[] = {{"read_frame", meter_read_frame, METH_O, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "meter", "", -1, methods};
PyMODINIT_FUNC PyInit_meter(void) { return PyModule_Create(&module); }
