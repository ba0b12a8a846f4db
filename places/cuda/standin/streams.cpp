// SPDX-License-Identifier: Apache-2.0 OR MIT
// Functions of the driver: streams, events and graphs.
#include "state.h"

using namespace halimede::standin;

namespace {

// The stream of a handle of the current context.
Status stream_of(const Stream *handle, Stream *&stream) {
    Context *context = nullptr;
    Status status = current(context);
    if (status != SUCCESS) return status;
    stream = find(context->streams, handle);
    return stream == nullptr ? INVALID_HANDLE : SUCCESS;
}

Status event_of(const Event *handle, Event *&event) {
    Context *context = nullptr;
    Status status = current(context);
    if (status != SUCCESS) return status;
    event = find(context->events, handle);
    return event == nullptr ? INVALID_HANDLE : SUCCESS;
}

// The graph of a handle of the current context.
Status graph_of(const Graph *handle, Graph *&graph) {
    Context *context = nullptr;
    Status status = current(context);
    if (status != SUCCESS) return status;
    graph = find(context->graphs, handle);
    return graph == nullptr ? INVALID_HANDLE : SUCCESS;
}

// Runs what comes before an event. The stream of an event may be gone: then its work has run.
Status run_until(Context &context, const Stream *handle, uint64_t after) {
    Stream *stream = find(context.streams, handle);
    return stream == nullptr ? context.lost : run(*stream, after);
}

}  // namespace

HALIMEDE_API cuStreamCreate(Stream **stream, unsigned flags) {
    std::lock_guard guard(driver().lock);
    Context *context = nullptr;
    Status status = current(context);
    if (status != SUCCESS) return status;
    if (stream == nullptr || flags > 1) return INVALID_VALUE;
    auto made = std::make_unique<Stream>();
    made->context = context;
    *stream = made.get();
    context->streams.insert(std::move(made));
    return SUCCESS;
}

HALIMEDE_API cuStreamDestroy_v2(Stream *handle) {
    std::lock_guard guard(driver().lock);
    Stream *stream = nullptr;
    Status status = stream_of(handle, stream);
    if (status != SUCCESS) return status;
    status = run(*stream, stream->added);
    remove(stream->context->streams, handle);
    return status;
}

HALIMEDE_API cuStreamSynchronize(Stream *handle) {
    std::lock_guard guard(driver().lock);
    Stream *stream = nullptr;
    Status status = stream_of(handle, stream);
    if (status != SUCCESS) return status;
    if (stream->captured != nullptr) return STREAM_CAPTURE_UNSUPPORTED;
    return run(*stream, stream->added);
}

HALIMEDE_API cuEventCreate(Event **event, unsigned flags) {
    std::lock_guard guard(driver().lock);
    Context *context = nullptr;
    Status status = current(context);
    if (status != SUCCESS) return status;
    if (event == nullptr || flags > 7) return INVALID_VALUE;
    auto made = std::make_unique<Event>();
    made->context = context;
    *event = made.get();
    context->events.insert(std::move(made));
    return SUCCESS;
}

HALIMEDE_API cuEventDestroy_v2(Event *handle) {
    std::lock_guard guard(driver().lock);
    Event *event = nullptr;
    Status status = event_of(handle, event);
    if (status != SUCCESS) return status;
    remove(event->context->events, handle);
    return SUCCESS;
}

HALIMEDE_API cuEventRecord(Event *handle, Stream *stream_handle) {
    std::lock_guard guard(driver().lock);
    Event *event = nullptr;
    Stream *stream = nullptr;
    Status status = event_of(handle, event);
    if (status == SUCCESS) status = stream_of(stream_handle, stream);
    if (status != SUCCESS) return status;
    if (stream->captured != nullptr) return STREAM_CAPTURE_UNSUPPORTED;
    event->stream = stream;
    event->after = stream->added;
    return SUCCESS;
}

HALIMEDE_API cuEventQuery(Event *handle) {
    std::lock_guard guard(driver().lock);
    Event *event = nullptr;
    Status status = event_of(handle, event);
    if (status != SUCCESS) return status;
    Stream *stream = find(event->context->streams, event->stream);
    return stream != nullptr && stream->done < event->after ? NOT_READY : SUCCESS;
}

HALIMEDE_API cuEventSynchronize(Event *handle) {
    std::lock_guard guard(driver().lock);
    Event *event = nullptr;
    Status status = event_of(handle, event);
    if (status != SUCCESS) return status;
    return run_until(*event->context, event->stream, event->after);
}

HALIMEDE_API cuStreamWaitEvent(Stream *handle, Event *event_handle, unsigned flags) {
    std::lock_guard guard(driver().lock);
    Event *event = nullptr;
    Stream *stream = nullptr;
    Status status = stream_of(handle, stream);
    if (status == SUCCESS) status = event_of(event_handle, event);
    if (status != SUCCESS) return status;
    if (flags != 0) return INVALID_VALUE;
    Context *context = stream->context;
    const Stream *before = event->stream;
    uint64_t after = event->after;
    if (before == stream || before == nullptr) return SUCCESS;
    if (stream->captured != nullptr) return STREAM_CAPTURE_UNSUPPORTED;
    add(*stream, [=] { return run_until(*context, before, after); });
    return SUCCESS;
}

// A graph here takes the work of one stream only.
HALIMEDE_API cuStreamBeginCapture_v2(Stream *handle, unsigned mode) {
    std::lock_guard guard(driver().lock);
    Stream *stream = nullptr;
    Status status = stream_of(handle, stream);
    if (status != SUCCESS) return status;
    if (mode > 2 || stream->captured != nullptr) return INVALID_VALUE;
    auto graph = std::make_unique<Graph>();
    graph->context = stream->context;
    stream->captured = graph.get();
    stream->context->graphs.insert(std::move(graph));
    return SUCCESS;
}

HALIMEDE_API cuStreamEndCapture(Stream *handle, Graph **graph) {
    std::lock_guard guard(driver().lock);
    Stream *stream = nullptr;
    Status status = stream_of(handle, stream);
    if (status != SUCCESS) return status;
    if (graph == nullptr || stream->captured == nullptr) return INVALID_VALUE;
    *graph = stream->captured;
    stream->captured = nullptr;
    return SUCCESS;
}

HALIMEDE_API cuGraphInstantiateWithFlags(Graph **executable, Graph *handle, unsigned long long) {
    std::lock_guard guard(driver().lock);
    Graph *graph = nullptr;
    Status status = graph_of(handle, graph);
    if (status != SUCCESS) return status;
    if (executable == nullptr) return INVALID_VALUE;
    auto copy = std::make_unique<Graph>(*graph);
    *executable = copy.get();
    graph->context->graphs.insert(std::move(copy));
    return SUCCESS;
}

HALIMEDE_API cuGraphLaunch(Graph *handle, Stream *stream_handle) {
    std::lock_guard guard(driver().lock);
    Graph *graph = nullptr;
    Stream *stream = nullptr;
    Status status = graph_of(handle, graph);
    if (status == SUCCESS) status = stream_of(stream_handle, stream);
    if (status != SUCCESS) return status;
    for (const auto &work : graph->work) add(*stream, work);
    return SUCCESS;
}

HALIMEDE_API cuGraphDestroy(Graph *handle) {
    std::lock_guard guard(driver().lock);
    Graph *graph = nullptr;
    Status status = graph_of(handle, graph);
    if (status != SUCCESS) return status;
    remove(graph->context->graphs, handle);
    return SUCCESS;
}

HALIMEDE_API cuGraphExecDestroy(Graph *handle) { return cuGraphDestroy(handle); }
