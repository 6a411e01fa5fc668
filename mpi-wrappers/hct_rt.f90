! hct_rt.f90 - "use hct_rt", then "call HCT_RT_Tag(marker, text)".
! See HCT_RT_Tag(3).
module hct_rt
  implicit none
  include 'hct_rtf.h'
end module hct_rt
