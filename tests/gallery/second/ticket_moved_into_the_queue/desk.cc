// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <deque>
#include <memory>
#include <string>
#include <utility>
namespace {
struct Ticket {
    std::string subject;
    long number;
    int urgency;
};
class Desk {
  public:
    long open(const char *subject, int urgency)
    {
        auto ticket = std::make_unique<Ticket>();
        ticket->subject = subject;
        ticket->urgency = urgency;
        ticket->number = ++last_;
        if (urgency > 2) {
            urgent_.push_back(std::move(ticket));
            notify(*ticket);
        } else {
            normal_.push_back(std::move(ticket));
        }
        return last_;
    }

  private:
    __attribute__((noinline)) void notify(const Ticket &ticket)
    {
        fprintf(stderr, "urgent: %ld\n", ticket.number);
    }
    std::deque<std::unique_ptr<Ticket>> urgent_, normal_;
    long last_ = 0;
};
Desk desk;
PyObject *open_ticket(PyObject *, PyObject *args)
{
    const char *subject;
    int urgency;
    if (!PyArg_ParseTuple(args, "si", &subject, &urgency))
        return nullptr;
    return PyLong_FromLong(desk.open(subject, urgency));
}
PyMethodDef methods[] = {{"open_ticket", open_ticket, METH_VARARGS, ""}, {}};
PyModuleDef module = {PyModuleDef_HEAD_INIT, "desk", "", -1, methods};
}
PyMODINIT_FUNC PyInit_desk(void) { return PyModule_Create(&module); }
