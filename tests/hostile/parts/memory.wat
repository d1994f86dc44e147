;; Two pages of memory: 16 the description, 64 the result of `handle`, 128
;; scratch, from 1024 texts, from 4096 what `cabi_realloc` hands out.
(memory (export "memory") 2)
(global $top (mut i32) (i32.const 4096))
