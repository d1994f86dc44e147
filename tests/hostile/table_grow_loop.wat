;; Grows a table until it cannot, then traps.
(module
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (table $t 1 funcref)
  (func (export "handle") {{CALL}}
    (loop $more (br_if $more (i32.ne (table.grow $t (ref.null func) (i32.const 1000)) (i32.const -1))))
    unreachable))
