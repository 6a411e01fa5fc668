! hct_rtf.h - HCT_RT_Tag for Fortran programs that include mpif.h; others say
! "use hct_rt". Fixed and free form. See HCT_RT_Tag(3).
      interface
        subroutine HCT_RT_Tag(marker, text)
          integer, intent(in) :: marker
          character(len=*), intent(in) :: text
        end subroutine HCT_RT_Tag
      end interface
