// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
static PyObject *upper(PyObject *m, PyObject *o){ Py_ssize_t n=PyUnicode_GET_LENGTH(o); PyObject*r=PyUnicode_New(n,127); Py_UCS1*d=PyUnicode_1BYTE_DATA(r); const char*s=PyUnicode_DATA(o); for(Py_ssize_t i=0;i<n*PyUnicode_KIND(o);i++) d[i]=s[i]>='a'&&s[i]<='z'?s[i]-32:s[i]; return r; }
static PyMethodDef ms[]={{"upper",upper,METH_O,0},{0}};
static struct PyModuleDef M={PyModuleDef_HEAD_INIT,"capitals",0,-1,ms};
PyMODINIT_FUNC PyInit_capitals(void){ return PyModule_Create(&M); }
