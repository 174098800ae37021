// SPDX-License-Identifier: Apache-2.0
// The open tenders of an auction house, by lot; tenders end at their hour.
#include <map>
#include <mutex>
#include <string>

struct Tender {
    std::string bidder;
    long cents;
    double ends;
};

class TenderBook {
public:
    void place(const std::string &lot, const char *bidder, long cents, double ends) {
        std::lock_guard<std::mutex> hold(lock_);
        auto &tender = tenders_[lot];
        if (cents > tender.cents)
            tender = Tender{bidder, cents, ends};
    }

    long close_ended(double now) {
        std::lock_guard<std::mutex> hold(lock_);
        long closed = 0;
        for (auto tender = tenders_.begin(); tender != tenders_.end(); ++tender) {
            if (tender->second.ends <= now) {
                tenders_.erase(tender);
                closed++;
            }
        }
        return closed;
    }

    long size() {
        std::lock_guard<std::mutex> hold(lock_);
        return static_cast<long>(tenders_.size());
    }

private:
    std::map<std::string, Tender> tenders_;
    std::mutex lock_;
};

extern "C" {
TenderBook *tender_book_new() { return new TenderBook; }
void tender_place(TenderBook *book, const char *lot, const char *bidder, long cents, double ends) {
    book->place(lot, bidder, cents, ends);
}
long tender_close_ended(TenderBook *book, double now) { return book->close_ended(now); }
long tender_count(TenderBook *book) { return book->size(); }
}
