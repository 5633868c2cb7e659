// Pinocchio's forward dynamics with closed loops in plain loops over a batch, behind a C ABI.
//
// As in pinocchio_loop.cpp, the model crosses as text; constraints cross as numbers. Data and
// constraint data are reused. lcaba, whose header calls it unsupported, crashes on a Gough-Stewart platform
// (Pinocchio 4.1), so that constraintDynamics is the one route.

#ifdef PINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION
#error "the algorithms must be instantiated here, with this file's flags"
#endif

#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <vector>

#include "pinocchio/algorithm/constrained-dynamics.hpp"
#include "pinocchio/multibody.hpp"
#include "pinocchio/serialization.hpp"

#define PL_API extern "C" __attribute__((visibility("default")))

namespace {

namespace pin = pinocchio;
using Vector = Eigen::Ref<const Eigen::VectorXd>;
using Result = Eigen::Map<Eigen::VectorXd>;

struct Closed {
  pin::Model model;
  std::vector<pin::RigidConstraintModel> models;
  std::vector<pin::RigidConstraintData> datas;
  std::unique_ptr<pin::Data> data;
  pin::ProximalSettings settings;

  // `joints` holds (rows, first joint, second joint), `places` two rotations and positions, row-major.
  Closed(const char *text, int count, const int *joints, const double *places, double accuracy, double mu,
         int steps)
      : settings(accuracy, mu, steps) {
    pin::serialization::loadFromString(model, text);
    using Row3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
    for (int k = 0; k < count; ++k) {
      const double *p = places + 24 * k;
      pin::SE3 T[2];
      for (int side = 0; side < 2; ++side)
        T[side] = pin::SE3(Eigen::Matrix3d(Eigen::Map<const Row3>(p + 12 * side)),
                           Eigen::Vector3d(Eigen::Map<const Eigen::Vector3d>(p + 12 * side + 9)));
      const auto kind = joints[3 * k] == 3 ? pin::CONTACT_3D : pin::CONTACT_6D;
      models.emplace_back(kind, model, joints[3 * k + 1], T[0], joints[3 * k + 2], T[1], pin::LOCAL);
    }
    for (const auto &each : models) datas.emplace_back(each);
    data = std::make_unique<pin::Data>(model);
    pin::initConstraintDynamics(model, *data, models, datas);
  }

  Vector q(const double *base, int64_t s) const {
    return Eigen::Map<const Eigen::VectorXd>(base + s * model.nq, model.nq);
  }
  Vector v(const double *base, int64_t s) const {
    return Eigen::Map<const Eigen::VectorXd>(base + s * model.nv, model.nv);
  }
};

Closed &at(void *handle) { return *static_cast<Closed *>(handle); }

}  // namespace

PL_API void *pc_load(const char *text, int count, const int *joints, const double *places,
                     double accuracy, double mu, int steps, char *error, int n) {
  try {
    return new Closed(text, count, joints, places, accuracy, mu, steps);
  } catch (const std::exception &failure) {
    std::snprintf(error, static_cast<size_t>(n), "%s", failure.what());
  }
  return nullptr;
}

PL_API void pc_free(void *handle) { delete static_cast<Closed *>(handle); }

// The sparse Cholesky factors of the KKT matrix (ConstraintCholeskyDecomposition). out: (batch, nv)
PL_API void pc_constraint_dynamics(void *handle, int64_t batch, const double *q, const double *v,
                                   const double *tau, double *out) {
  Closed &c = at(handle);
  for (int64_t s = 0; s < batch; ++s)
    Result(out + s * c.model.nv, c.model.nv) = pin::constraintDynamics(
        c.model, *c.data, c.q(q, s), c.v(v, s), c.v(tau, s), c.models, c.datas, c.settings);
}
