module.exports = () => globalThis.endOfServices();
