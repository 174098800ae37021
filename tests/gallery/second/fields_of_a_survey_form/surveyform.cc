// SPDX-License-Identifier: Apache-2.0
// Answers of a survey form: a number, a text, or nothing; sums are taken over the answers.
#include <cstring>
#include <map>
#include <string>
#include <variant>
#include <vector>

using Answer = std::variant<std::monostate, double, std::string>;

class Form {
public:
    void number(const char *question, double value) { answers_[question].push_back(value); }
    void text(const char *question, const char *value) {
        answers_[question].push_back(std::string(value));
    }
    void nothing(const char *question) { answers_[question].push_back(std::monostate()); }

    double mean(const char *question) const noexcept {
        auto found = answers_.find(question);
        if (found == answers_.end())
            return 0.0;
        double sum = 0.0;
        long count = 0;
        for (const Answer &answer : found->second) {
            if (std::holds_alternative<std::monostate>(answer))
                continue;
            sum += std::get<double>(answer);
            count++;
        }
        return count ? sum / count : 0.0;
    }

private:
    std::map<std::string, std::vector<Answer>> answers_;
};

extern "C" {
Form *form_new() { return new Form; }
void form_number(Form *form, const char *question, double value) { form->number(question, value); }
void form_text(Form *form, const char *question, const char *value) { form->text(question, value); }
void form_nothing(Form *form, const char *question) { form->nothing(question); }
double form_mean(Form *form, const char *question) { return form->mean(question); }
}
