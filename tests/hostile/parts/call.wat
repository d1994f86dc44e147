;; The parameters of `handle`, as the canonical ABI flattens them.
(param $id i32) (param $id_len i32) (param $deadline i32) (param $now i64)
  (param $caller i32) (param $caller_at i32) (param $caller_len i32)
  (param $resource i32) (param i32 i32 i32 i32) (param $bytes i32) (param $bytes_len i32)
  (param $input i32) (param $input_len i32) (result i32)
