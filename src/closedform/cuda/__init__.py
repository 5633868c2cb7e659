"""Programs on NVIDIA GPUs: text, machine code and launches; arrays of other libraries bring the memory."""
