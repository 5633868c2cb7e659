// Pinocchio's algorithms over CasADi's SX, written as CasADi functions to files.
//
// This is what the Python module `pinocchio.casadi` gives, which pip's wheel lacks: the
// model cast to SX and the templated algorithms called on symbols.
//
//   pinocchio_casadi MODEL FOLDER    (MODEL: a file with the text of `model.saveToString()`)

#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "pinocchio/autodiff/casadi.hpp"

#include "pinocchio/algorithm/aba-derivatives.hpp"
#include "pinocchio/algorithm/aba.hpp"
#include "pinocchio/algorithm/crba.hpp"
#include "pinocchio/algorithm/rnea-derivatives.hpp"
#include "pinocchio/algorithm/rnea.hpp"
#include "pinocchio/multibody.hpp"
#include "pinocchio/serialization.hpp"

namespace {

namespace pin = pinocchio;
using casadi::SX;
using Model = pin::ModelTpl<SX>;
using Vector = Model::ConfigVectorType;

SX symbol(const char *name, Vector &entries, Eigen::Index size) {
  const SX column = SX::sym(name, size);
  entries.resize(size);
  pin::casadi::copy(column, entries);
  return column;
}

template <typename Matrix>
SX expression(const Matrix &entries) {
  SX result;
  pin::casadi::copy(entries, result);
  return result;
}

}  // namespace

int main(int count, char **words) {
  if (count != 3) {
    std::cerr << "needs the file of a model and a folder\n";
    return 2;
  }
  std::ifstream file(words[1]);
  std::stringstream text;
  text << file.rdbuf();
  pin::Model numbers;
  pin::serialization::loadFromString(numbers, text.str());
  const Model model = numbers.cast<SX>();

  Vector q, v, a;
  const SX cq = symbol("q", q, model.nq), cv = symbol("qd", v, model.nv);
  const SX ca = symbol("x", a, model.nv);
  const auto save = [&](const std::string &name, const std::vector<SX> &results) {
    casadi::Function(name, {cq, cv, ca}, results)
        .save(std::string(words[2]) + "/" + name + ".casadi");
  };

  // Of symmetric matrices the algorithms write the upper triangle only.
  const auto symmetric = [](const auto &upper) {
    return SX::triu2symm(SX::triu(expression(upper)));
  };

  pin::DataTpl<SX> data(model);
  save("rnea", {expression(pin::rnea(model, data, q, v, a))});
  save("crba", {symmetric(pin::crba(model, data, q, pin::Convention::LOCAL))});
  save("aba", {expression(pin::aba(model, data, q, v, a, pin::Convention::LOCAL))});
  pin::computeRNEADerivatives(model, data, q, v, a);
  save("rnea_derivatives",
       {expression(data.dtau_dq), expression(data.dtau_dv), symmetric(data.M)});
  pin::computeABADerivatives(model, data, q, v, a);
  save("aba_derivatives",
       {expression(data.ddq_dq), expression(data.ddq_dv), symmetric(data.Minv)});
  return 0;
}
