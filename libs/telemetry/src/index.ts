export * from './logger';
export * from './metrics';
export * from './redact';
export * from './run-service';
export * from './running-service';
export * from './trace';
