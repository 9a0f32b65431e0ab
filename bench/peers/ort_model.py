"""ONNX models of one rotary operator, and timing them in ONNX Runtime; what two peers share."""
import common


def missing(provider):
    try:
        import onnx  # noqa: F401
        import onnxruntime
    except ImportError as error:
        return f"ONNX Runtime is not installed ({error})"
    if provider not in onnxruntime.get_available_providers():
        return f"this ONNX Runtime has no {provider}"
    return None


def build(case):
    """The bytes of a model with one node; shapes are fixed, caches are inputs."""
    import onnx
    from onnx import TensorProto, helper

    kind = {"float32": TensorProto.FLOAT, "float16": TensorProto.FLOAT16}[case.dtype]
    x = helper.make_tensor_value_info("x", kind, case.shape)
    cos = helper.make_tensor_value_info("cos", kind, case.cache_shape)
    sin = helper.make_tensor_value_info("sin", kind, case.cache_shape)
    y = helper.make_tensor_value_info("y", kind, case.shape)
    attributes = {key: value for key, value in case.attrs.items() if key != "mrope_layout"}
    if case.attrs.get("mrope_layout", 0):
        attributes["mrope_layout"] = case.attrs["mrope_layout"]
    inputs = [x, cos, sin]
    names = ["x", "cos", "sin"]
    if case.positions_shape is not None:
        inputs.append(helper.make_tensor_value_info("ids", TensorProto.INT64, case.positions_shape))
        names.append("ids")
    multimodal = case.operator == "com.microsoft.MRotaryEmbedding"
    if multimodal:
        names = ["x", "ids", "cos", "sin"]
    node = helper.make_node("MRotaryEmbedding" if multimodal else "RotaryEmbedding", names, ["y"],
                            domain="com.microsoft" if multimodal else "", **attributes)
    graph = helper.make_graph([node], "rotary", inputs, [y])
    opsets = [helper.make_opsetid("", 23), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString()


def values(case):
    import numpy

    dtype = numpy.dtype(case.dtype)
    random = numpy.random.default_rng(0)
    # A block of values repeated: making a gigabyte of random numbers would take longer than measuring.
    block = random.standard_normal(1 << 16).astype(dtype)
    x = numpy.resize(block, case.shape)
    angles = random.random(case.cache_shape, dtype=numpy.float32)
    tensors = {"x": x, "cos": numpy.cos(angles).astype(dtype), "sin": numpy.sin(angles).astype(dtype)}
    if case.positions_shape is not None:
        tensors["ids"] = numpy.array(case.positions(), dtype=numpy.int64).reshape(case.positions_shape)
    return tensors


def session(case, provider, threads=0):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    try:
        made = onnxruntime.InferenceSession(build(case), options, providers=[provider])
    except Exception as error:  # the exception classes of the runtime are not public
        raise common.Unsupported(f"ONNX Runtime refuses the model: {str(error).splitlines()[0]}") from error
    if made.get_providers()[0] != provider:
        raise common.Unsupported(f"ONNX Runtime runs the operator on {made.get_providers()[0]}")
    return made
