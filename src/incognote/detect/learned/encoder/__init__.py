"""The transformer's machinery: word pieces, weights, onnxruntime on the CPU, torch on a GPU."""
