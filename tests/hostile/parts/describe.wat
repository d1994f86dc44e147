;; Takes and returns objects of any kind; no examples.
(data (i32.const 16) "\00\04\00\00\11\00\00\00\00\04\00\00\11\00\00\00\00\00\00\00\00\00\00\00")
(data (i32.const 1024) "{\22type\22:\22object\22}")
(func (export "describe") (result i32) (i32.const 16))
