// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
static PyObject *grade(PyObject*, PyObject *o){ long v=PyLong_AsLong(o); if(v>90) return PyUnicode_FromString("A"); else if(v>50) return PyUnicode_FromString("B"); else if (v<20) { PyErr_Clear(); } }
static PyObject *other(PyObject*, PyObject *o){ return PyUnicode_FromString("other"); }
static PyMethodDef ms[]={{"grade",grade,METH_O,0},{"other",other,METH_O,0},{0}};
static struct PyModuleDef M={PyModuleDef_HEAD_INIT,"marks",0,-1,ms};
PyMODINIT_FUNC PyInit_marks(void){ return PyModule_Create(&M); }
