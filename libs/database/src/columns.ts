import { Column, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';

/** The few column kinds in use, alike on SQLite and MySQL. The DDL itself is in the migrations. */
interface Common {
  nullable?: boolean;
}

/** Generated integer key, `id`. */
export const Id = (): PropertyDecorator => PrimaryGeneratedColumn({ name: 'id', type: 'integer' });
/** A key that is not generated. */
export const Key = (length = 255): PropertyDecorator => PrimaryColumn({ type: 'varchar', length });
export const IntKey = (): PropertyDecorator => PrimaryColumn({ type: 'integer' });
/** Uuid in its canonical 36 characters. */
export const Uuid = (o: Common = {}): PropertyDecorator => Column({ type: 'varchar', length: 36, ...o });
export const Str = (length = 255, o: Common = {}): PropertyDecorator => Column({ type: 'varchar', length, ...o });
export const LongText = (o: Common = {}): PropertyDecorator => Column({ type: 'text', ...o });
export const Int = (o: Common = {}): PropertyDecorator => Column({ type: 'integer', ...o });
export const Real = (o: Common = {}): PropertyDecorator => Column({ type: 'double', ...o });
/** 0 or 1. */
export const Flag = (o: Common = {}): PropertyDecorator => Column({ type: 'integer', ...o });
/** Epoch milliseconds, UTC. */
export const Instant = (o: Common = {}): PropertyDecorator => Column({ type: 'bigint', ...o });
/** JSON as text; parsed and written by the mappers. */
export const Json = (o: Common = {}): PropertyDecorator => Column({ type: 'text', ...o });
