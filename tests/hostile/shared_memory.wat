;; Uses threads' memory, which is off here.
(component
  (core module (memory 1 1 shared)))
