export * from './running-service';
