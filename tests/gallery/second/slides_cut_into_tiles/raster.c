// SPDX-License-Identifier: Apache-2.0
// The raster library: what it offers to other extensions stands in a table in a capsule.
#include <Python.h>

static long sum_of(const unsigned char *data, long size)
{
    long sum = 0;
    for (long n = 0; n < size; n++) sum += data[n];
    return sum;
}
static long largest(const unsigned char *data, long size)
{
    long found = 0;
    for (long n = 0; n < size; n++) if (data[n] > found) found = data[n];
    return found;
}
static void *table[] = {(void *)4, largest, sum_of, NULL};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "raster", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_raster(void)
{
    PyObject *m = PyModule_Create(&module);
    PyModule_AddStringConstant(m, "VERSION", "1.10.4");
    PyModule_AddObject(m, "_C_API", PyCapsule_New(table, "raster._C_API", NULL));
    return m;
}
