import { IsIn, IsString, Length } from 'class-validator';
import { Closed, NumericString, Optional, Pattern } from '@fractus/dto-schema';
import { Parameter, Parameters } from '@fractus/microversions';

@Closed()
export class ServerCapabilitiesQuery {
  /** Only these actions; more than one may be named. */
  @Optional() @Parameters(IsString(), Length(1, 64)) action?: string[];
  /** What a body of `reboot` would say. */
  @Optional() @Parameter(IsIn(['SOFT', 'HARD'])) type?: string[];
  /** What a body of `resize` would say. Not looked at: resize is not built. */
  @Optional() @Parameter(IsString(), Length(1, 255)) flavorRef?: string[];
}

/** Of one hypervisor: nothing to choose. */
@Closed()
export class ShowHypervisorCapabilitiesQuery {}

@Closed()
export class ListHypervisorCapabilitiesQuery {
  @Optional() @Parameters(Pattern('^[A-Z0-9_]+$'), Length(1, 255)) trait?: string[];
  @Optional() @Parameters(Pattern('^[A-Za-z0-9_]+$'), Length(1, 255)) capability?: string[];
  @Optional() @Parameter(NumericString({ min: 0, pattern: '^[0-9]*$', minLength: 1 })) limit?: string[];
  @Optional() @Parameter(IsString()) marker?: string[];
}
