;; Keeps asking for memory that it does not get.
(module
  {{MEMORY}}
  {{REALLOC}}
  {{DESCRIBE}}
  (func (export "handle") {{CALL}}
    (loop $more (drop (memory.grow (i32.const 1))) (br $more))
    unreachable))
