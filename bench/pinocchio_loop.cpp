// Pinocchio's algorithms in plain loops over a batch, behind a C ABI.
//
// Every matrix in and out is C-contiguous doubles, sample first. One handle
// holds one model and one workspace, so a handle serves one thread.
//
// The model arrives as the text of `model.saveToString()`, never as an object:
// the build's flags decide how Eigen aligns its types, here otherwise than in the
// shipped libraries, so no such type may cross from one to the other.

#ifdef PINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION
#error "the algorithms must be instantiated here, with this file's flags"
#endif

#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>

#include "pinocchio/algorithm/aba-derivatives.hpp"
#include "pinocchio/algorithm/aba.hpp"
#include "pinocchio/algorithm/center-of-mass.hpp"
#include "pinocchio/algorithm/crba.hpp"
#include "pinocchio/algorithm/energy.hpp"
#include "pinocchio/algorithm/frames.hpp"
#include "pinocchio/algorithm/kinematics.hpp"
#include "pinocchio/algorithm/regressor.hpp"
#include "pinocchio/algorithm/rnea-derivatives.hpp"
#include "pinocchio/algorithm/rnea.hpp"
#include "pinocchio/multibody.hpp"
#include "pinocchio/serialization.hpp"

// The convention of crba and aba; both give the same numbers, at other speeds.
#ifndef PL_CONVENTION
#define PL_CONVENTION LOCAL
#endif

#define PL_API extern "C" __attribute__((visibility("default")))

namespace {

namespace pin = pinocchio;
using Eigen::Index;
// The type Pinocchio itself turns every vector into: one type, one instantiation.
using Vector = Eigen::Ref<const Eigen::VectorXd>;
using Result = Eigen::Map<Eigen::VectorXd>;
using Rows =
    Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

constexpr auto convention = pin::Convention::PL_CONVENTION;

// Gives mimic joints back the sizes that Pinocchio's archives leave out: as
// loaded, they hold -1 for both and the first call would crash.
void repair_mimic(pin::Model &model) {
  for (const pin::JointIndex id : model.mimicking_joints) {
    const auto &loaded = boost::get<pin::JointModelMimic>(model.joints[id].toVariant());
    const auto &inner = loaded.jmodel();
    pin::JointModelMimic joint(inner, loaded.scaling(), loaded.offset());
    joint.setMimicIndexes(inner.id(), loaded.idx_q(), loaded.idx_v(),
                          inner.idx_vExtended());
    joint.setIndexes(id, 0, 0, loaded.idx_vExtended());
    model.joints[id] = joint;
  }
}

// A model with the one workspace its calls share.
struct Loop {
  pin::Model model;
  std::unique_ptr<pin::Data> data;
  pin::Data::Matrix6x jacobian;
  bool mimic = false;

  explicit Loop(const char *text) {
    pin::serialization::loadFromString(model, text);
    repair_mimic(model);
    data = std::make_unique<pin::Data>(model);
    jacobian = pin::Data::Matrix6x::Zero(6, model.nv);
    mimic = !model.mimicking_joints.empty();
  }

  Vector q(const double *base, int64_t sample) const {
    return Eigen::Map<const Eigen::VectorXd>(base + sample * model.nq, model.nq);
  }
  Vector tangent(const double *base, int64_t sample) const {
    return Eigen::Map<const Eigen::VectorXd>(base + sample * model.nv, model.nv);
  }
  Result force(double *base, int64_t sample) const {
    return {base + sample * model.nv, model.nv};
  }
  Rows square(double *base, int64_t sample) const {
    return {base + sample * model.nv * model.nv, model.nv, model.nv};
  }
};

Loop &at(void *handle) { return *static_cast<Loop *>(handle); }

// Writes both halves of the matrix whose upper triangle is `upper`.
void mirror(const Eigen::MatrixXd &upper, double *out) {
  const Index n = upper.rows();
  for (Index j = 0; j < n; ++j) {
    const double *column = upper.data() + j * n;
    for (Index i = 0; i <= j; ++i) out[i * n + j] = out[j * n + i] = column[i];
  }
}

}  // namespace

// Returns a handle, or null with the reason in `error`.
PL_API void *pl_load_text(const char *text, char *error, int n) {
  try {
    return new Loop(text);
  } catch (const std::exception &failure) {
    std::snprintf(error, static_cast<size_t>(n), "%s", failure.what());
  } catch (...) {
    std::snprintf(error, static_cast<size_t>(n), "unknown exception");
  }
  return nullptr;
}

PL_API void pl_free(void *handle) { delete static_cast<Loop *>(handle); }

PL_API int pl_nq(void *handle) { return at(handle).model.nq; }

PL_API int pl_nv(void *handle) { return at(handle).model.nv; }

PL_API int pl_njoints(void *handle) { return at(handle).model.njoints; }

PL_API int pl_nframes(void *handle) { return at(handle).model.nframes; }

// out: (batch, nv)
PL_API void pl_rnea(void *handle, int64_t batch, const double *q, const double *v,
                    const double *a, double *out) {
  Loop &loop = at(handle);
  for (int64_t s = 0; s < batch; ++s)
    loop.force(out, s) = pin::rnea(loop.model, *loop.data, loop.q(q, s),
                                   loop.tangent(v, s), loop.tangent(a, s));
}

// out: (batch, nv, nv), both triangles
PL_API void pl_crba(void *handle, int64_t batch, const double *q, double *out) {
  Loop &loop = at(handle);
  const int64_t stride = int64_t(loop.model.nv) * loop.model.nv;
  for (int64_t s = 0; s < batch; ++s) {
    // The mimic step adds to what the last sample left; other models overwrite it.
    if (loop.mimic) {
      loop.data->M.setZero();
      for (auto &columns : loop.data->Fcrb) columns.setZero();
    }
    mirror(pin::crba(loop.model, *loop.data, loop.q(q, s), convention),
           out + s * stride);
  }
}

// out: (batch, nv, nv)
PL_API void pl_coriolis(void *handle, int64_t batch, const double *q, const double *v,
                        double *out) {
  Loop &loop = at(handle);
  for (int64_t s = 0; s < batch; ++s)
    loop.square(out, s) = pin::computeCoriolisMatrix(loop.model, *loop.data,
                                                     loop.q(q, s), loop.tangent(v, s));
}

// out: (batch, nv)
PL_API void pl_aba(void *handle, int64_t batch, const double *q, const double *v,
                   const double *tau, double *out) {
  Loop &loop = at(handle);
  for (int64_t s = 0; s < batch; ++s)
    loop.force(out, s) =
        pin::aba(loop.model, *loop.data, loop.q(q, s), loop.tangent(v, s),
                 loop.tangent(tau, s), convention);
}

// out: (batch, nv)
PL_API void pl_gravity(void *handle, int64_t batch, const double *q, double *out) {
  Loop &loop = at(handle);
  for (int64_t s = 0; s < batch; ++s)
    loop.force(out, s) =
        pin::computeGeneralizedGravity(loop.model, *loop.data, loop.q(q, s));
}

// out: (batch, 6, nv), linear rows first, in the frame's own axes
PL_API void pl_frame_jacobian(void *handle, int64_t batch, int64_t frame,
                              const double *q, double *out) {
  Loop &loop = at(handle);
  const Index nv = loop.model.nv;
  // Columns off the frame's path are never written, so one reset is enough, but
  // for mimic joints, which add to their column.
  loop.jacobian.setZero();
  for (int64_t s = 0; s < batch; ++s) {
    if (loop.mimic) loop.jacobian.setZero();
    pin::computeFrameJacobian(loop.model, *loop.data, loop.q(q, s),
                              static_cast<pin::FrameIndex>(frame), pin::LOCAL,
                              loop.jacobian);
    Rows(out + s * 6 * nv, 6, nv) = loop.jacobian;
  }
}

// out: (batch, 4, 4), homogeneous matrix from the frame to the world
PL_API void pl_frame_pose(void *handle, int64_t batch, int64_t frame, const double *q,
                          double *out) {
  Loop &loop = at(handle);
  for (int64_t s = 0; s < batch; ++s) {
    pin::forwardKinematics(loop.model, *loop.data, loop.q(q, s));
    const pin::SE3 &pose = pin::updateFramePlacement(
        loop.model, *loop.data, static_cast<pin::FrameIndex>(frame));
    Eigen::Map<Eigen::Matrix<double, 4, 4, Eigen::RowMajor>> rows(out + s * 16);
    rows.topLeftCorner<3, 3>() = pose.rotation();
    rows.topRightCorner<3, 1>() = pose.translation();
    rows.row(3) << 0.0, 0.0, 0.0, 1.0;
  }
}

// out: (batch, 3)
PL_API void pl_com(void *handle, int64_t batch, const double *q, double *out) {
  Loop &loop = at(handle);
  for (int64_t s = 0; s < batch; ++s)
    Eigen::Map<Eigen::Vector3d>(out + s * 3) =
        pin::centerOfMass(loop.model, *loop.data, loop.q(q, s), false);
}

// out: (batch, 3, nv)
PL_API void pl_com_jacobian(void *handle, int64_t batch, const double *q, double *out) {
  Loop &loop = at(handle);
  const Index nv = loop.model.nv;
  for (int64_t s = 0; s < batch; ++s)
    Rows(out + s * 3 * nv, 3, nv) =
        pin::jacobianCenterOfMass(loop.model, *loop.data, loop.q(q, s), false);
}

// out: (batch,)
PL_API void pl_kinetic_energy(void *handle, int64_t batch, const double *q,
                              const double *v, double *out) {
  Loop &loop = at(handle);
  for (int64_t s = 0; s < batch; ++s)
    out[s] = pin::computeKineticEnergy(loop.model, *loop.data, loop.q(q, s),
                                       loop.tangent(v, s));
}

// out: (batch,)
PL_API void pl_potential_energy(void *handle, int64_t batch, const double *q,
                                double *out) {
  Loop &loop = at(handle);
  for (int64_t s = 0; s < batch; ++s)
    out[s] = pin::computePotentialEnergy(loop.model, *loop.data, loop.q(q, s));
}

// out: (batch, nv, 10 (njoints - 1))
PL_API void pl_regressor(void *handle, int64_t batch, const double *q, const double *v,
                         const double *a, double *out) {
  Loop &loop = at(handle);
  const Index nv = loop.model.nv, columns = 10 * (loop.model.njoints - 1);
  for (int64_t s = 0; s < batch; ++s)
    Rows(out + s * nv * columns, nv, columns) = pin::computeJointTorqueRegressor(
        loop.model, *loop.data, loop.q(q, s), loop.tangent(v, s), loop.tangent(a, s));
}

// dq, dv: (batch, nv, nv); dq is in the tangent space of the configuration
PL_API void pl_rnea_derivatives(void *handle, int64_t batch, const double *q,
                                const double *v, const double *a, double *dq,
                                double *dv) {
  Loop &loop = at(handle);
  for (int64_t s = 0; s < batch; ++s) {
    pin::computeRNEADerivatives(loop.model, *loop.data, loop.q(q, s),
                                loop.tangent(v, s), loop.tangent(a, s));
    loop.square(dq, s) = loop.data->dtau_dq;
    loop.square(dv, s) = loop.data->dtau_dv;
  }
}

// dq, dv, dtau: (batch, nv, nv); dtau is the inverse of the mass matrix, its upper triangle
PL_API void pl_aba_derivatives(void *handle, int64_t batch, const double *q,
                               const double *v, const double *tau, double *dq,
                               double *dv, double *dtau) {
  Loop &loop = at(handle);
  for (int64_t s = 0; s < batch; ++s) {
    pin::computeABADerivatives(loop.model, *loop.data, loop.q(q, s),
                               loop.tangent(v, s), loop.tangent(tau, s));
    loop.square(dq, s) = loop.data->ddq_dq;
    loop.square(dv, s) = loop.data->ddq_dv;
    loop.square(dtau, s) = loop.data->Minv;
  }
}
