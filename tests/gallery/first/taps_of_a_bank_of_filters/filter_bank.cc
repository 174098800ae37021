// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <immintrin.h>
#include <new>
struct Bank { __m256d acc[4]; double scale; };
static PyObject *fir(PyObject *m, PyObject *o){ Py_ssize_t n=PyList_Size(o); char*mem=(char*)PyMem_Malloc(sizeof(Bank)+n*8); Bank*b=new(mem) Bank; for(int i=0;i<4;i++) b->acc[i]=_mm256_set1_pd(n); for(Py_ssize_t i=0;i<n;i++) b->acc[i%4]=_mm256_add_pd(b->acc[i%4],_mm256_set1_pd(PyFloat_AsDouble(PyList_GET_ITEM(o,i)))); double r=((double*)b->acc)[3]; PyMem_Free(mem); return PyFloat_FromDouble(r); }
static PyMethodDef ms[]={{"fir",fir,METH_O,0},{0}};
static struct PyModuleDef M={PyModuleDef_HEAD_INIT,"filter_bank",0,-1,ms};
PyMODINIT_FUNC PyInit_filter_bank(void){ return PyModule_Create(&M); }
