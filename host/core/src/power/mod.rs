//! What one tool may do in one call: what it asks for, cut to what it was granted.
//!
//! [`Granted`] is the union of the ways by which power comes to a tool, [`Power`] what is left of it for one call, and
//! [`Explanation`] says which side removed what.

mod algebra;
mod ceilings;
mod difference;
mod explain;
mod flag;
mod granted;
mod idle;
mod line;
mod narrow;
mod parts;
mod removed;
mod resolve;

pub use algebra::{intersect, union};
pub use ceilings::Ceilings;
pub use difference::missing;
pub use explain::Explanation;
pub use flag::{FlagError, parse_grant};
pub use granted::Granted;
pub use idle::{Idle, IdleCause};
pub use line::GrantLine;
pub use narrow::Narrow;
pub use removed::Removed;
pub use resolve::{Ground, Mount, Power};

pub(crate) use algebra::real;
