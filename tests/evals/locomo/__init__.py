"""LoCoMo: data, audit, stages."""
